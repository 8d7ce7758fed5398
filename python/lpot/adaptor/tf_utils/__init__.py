"""Helpers for TensorFlow graphs."""

"""Utilities for TensorFlow graphs."""

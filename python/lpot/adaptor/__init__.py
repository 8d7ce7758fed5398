"""Framework utilities under the import path of LPOT."""

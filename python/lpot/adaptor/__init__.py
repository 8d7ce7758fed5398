"""Where scripts for LPOT look for helpers of the frameworks."""

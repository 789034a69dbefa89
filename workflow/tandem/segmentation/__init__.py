"""Text to ids: kinds of segmentation, segmenters, arrays of ids on disk."""

"""Where files are kept for ever: folders of this machine and buckets, below the stages that use them."""

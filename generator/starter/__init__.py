"""What a new site root is made of: the settings that its owner chose, and files that are the same for everybody."""

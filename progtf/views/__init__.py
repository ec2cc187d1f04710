"""What can be seen of a program and of its runs, as plain data and as still pictures."""

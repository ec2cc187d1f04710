"""What editors ask of programs, by the language server protocol: ``progtf lsp``."""

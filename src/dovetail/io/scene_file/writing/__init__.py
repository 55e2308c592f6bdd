"""A scene as a document that reads back bit for bit."""

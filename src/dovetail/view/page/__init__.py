"""The browser page that plays results, from one file or a local server.

The script is made from web/ with three.js by `npm run build` and kept here ready to use.
"""

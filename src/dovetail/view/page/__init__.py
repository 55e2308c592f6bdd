"""The page that plays results: from one file without a network, or from this machine's server.

The script is made from web/ with three.js by `npm run build` and kept here ready to use.
"""

"""A simulation in the browser while it is stepped: play, pause, step, drag, record."""

"""Time stepping with impulses for rigid contact, friction, impacts and joints."""

"""Contact as a force law: points inside a distance field are pushed out (Zhang et al. 2024)."""

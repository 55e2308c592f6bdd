"""Force law (SDF): points inside a distance field are pushed out."""

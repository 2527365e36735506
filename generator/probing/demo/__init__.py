"""The embedded demo router: real recorded answers, played back over OpenRouter's protocol on loopback.

recording.py   the recording, loaded and checked
seeds.py       every draw, from SHA-256
faults.toml    what is scripted on top, each with a sentence
faults.py      that file as checked records
roster.py      what the listing says on a night
request.py     a chat request, read and pinned to one endpoint
bodies.py      JSON as OpenRouter shapes it
replies.py     one request to one reply, pure
server.py      HTTP around it, a process of its own
process.py     starts that process and surely ends it
sheet.py       what is recorded and what is scripted, for the demo's page
content.py     the files of the demo's site root
"""

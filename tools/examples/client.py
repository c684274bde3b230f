#!/usr/bin/env python3
"""A ZeroMQ client: client.py ENDPOINT PROMPT. Streams the answer's text to standard output."""
import json
import sys

import zmq

if len(sys.argv) != 3:
    sys.exit("usage: client.py tcp://127.0.0.1:5555 PROMPT")
socket = zmq.Context().socket(zmq.DEALER)
socket.linger = 0
socket.connect(sys.argv[1])
request = {
    "id": "1",
    "messages": [{"role": "user", "content": sys.argv[2]}],
    "max_tokens": 64,
    "temperature": 0,
    "stream": True,
}
socket.send_multipart([b"troupe/1", json.dumps(request).encode()])
while True:
    _, frame = socket.recv_multipart()
    event = json.loads(frame)
    if "error" in event:
        sys.exit("error: " + event["error"]["message"])
    print(event["text"], end="", flush=True)
    if event["event"] == "end":
        break
print()

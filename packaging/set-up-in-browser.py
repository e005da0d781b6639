"""Answers the page of `remisd setup --web` as a browser does, with the answers that it begins with.

    set-up-in-browser.py ADDRESS

ADDRESS is what the program prints, with the code in it. Prints the users, one in a line.
"""

import http.cookiejar
import json
import sys
import urllib.parse
import urllib.request

PATIENCE_S = 60

address = urllib.parse.urlsplit(sys.argv[1])
origin = f"http://{address.netloc}"
jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
browser = urllib.request.build_opener(jar)


def ask(path, body=None):
    """The answer of the server; an error status is an exception."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Origin": origin}
    request = urllib.request.Request(f"{origin}/{path}", data, headers)
    with browser.open(request, timeout=PATIENCE_S) as answer:
        text = answer.read()
    return json.loads(text) if text else None


ask("api/session", {"code": urllib.parse.parse_qs(address.fragment)["code"][0]})
form = ask("api/setup")["form"]
plan = ask("api/plan", form)
if plan.get("problems"):
    sys.exit(f"the first answers have problems: {plan['problems']}")
written = ask("api/write", form)
for user in written["users"]:
    print(user["user"], user["password"])
ask("api/end", {})

"""The table in a chat: the app that `look` of MCP links, in a host as MCP Apps (SEP-1865) describes it."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

from playwright.sync_api import expect
from tests.web.test_web import PATIENCE, InBrowser

HOST = """async ({ html, named, result }) => {
  const frame = document.createElement("iframe");
  // The sandbox and the policy are those of the specification for an app that names no domains.
  frame.sandbox = "allow-scripts";
  const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";
  frame.srcdoc = html.replace("<meta", `<meta http-equiv="Content-Security-Policy" content="${policy}"><meta`);
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", async ({ data: { id, method, params } }) => {
    if (method === "ui/initialize") {
      send({ id, result: { protocolVersion: "2026-01-26", hostInfo: { name: "test" }, hostCapabilities: {} } });
    } else if (method === "ui/notifications/initialized") {
      send({ method: "ui/notifications/tool-input", params: { arguments: named } });
      send({ method: "ui/notifications/tool-result", params: result });
    } else if (method === "tools/call") {
      send({ id, result: await callTool(params) });
    } else if (method === "ui/notifications/size-changed") {
      frame.height = params.height;
    }
  });
  document.body.append(frame);
}"""
"""Shows the app in a frame, tells it the call beside which it stands, and carries out its calls."""


class App(InBrowser):
    def call(self, method: str, params: dict[str, Any]) -> Any:
        """Returns the result of a call of /mcp."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        request = urllib.request.Request(f"http://{self.server.address}/mcp", body, headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["result"]

    def test_a_host_shows_the_picture_of_the_seat(self) -> None:
        tools = {tool["name"]: tool for tool in self.call("tools/list", {})["tools"]}
        uri = tools["look"]["_meta"]["ui"]["resourceUri"]
        [content] = self.call("resources/read", {"uri": uri})["contents"]
        self.assertEqual(content["mimeType"], "text/html;profile=mcp-app")
        for game in ("rappanui", "giants"):
            asked = {"game": game, "opponents": ["random"]}
            joined = self.call("tools/call", {"name": "join", "arguments": asked})
            named = {"match": joined["structuredContent"]["match"]}
            result = self.call("tools/call", {"name": "look", "arguments": named})
            self.assertNotIn("_meta", result)
            page = self.browser.new_page()
            self.addCleanup(page.close)
            calls: list[Any] = []

            def call_tool(params: Any, calls: list[Any] = calls) -> Any:
                calls.append(params)
                return self.call("tools/call", params)

            page.expose_function("callTool", call_tool)
            page.evaluate(HOST, {"html": content["text"], "named": named, "result": result})
            picture = page.frame_locator("iframe").locator("#picture")
            expect(picture).to_be_visible(timeout=PATIENCE)
            self.assertGreater(picture.evaluate("(image) => image.naturalWidth"), 0)
            self.assertEqual(picture.get_attribute("alt"), result["structuredContent"]["table"])
            self.assertEqual(calls, [{"name": "look", "arguments": {**named, "picture": True}}])
            # The picture is that of the seat, and the public's has less.
            own, public = (
                self.call("tools/call", {"name": "look", "arguments": {"match": match, "picture": True}})["_meta"][
                    "svg"
                ]
                for match in (named["match"], named["match"].split(":")[0])
            )
            self.assertNotEqual(own, public)

// The answers of the agent at a seat, and the pace of a match whose decisions wait for its author.

import { ask, keepAsking, post, query, readEvents } from "./api.js";
import { duration, element, failure, tell } from "./dom.js";

/** Returns the view of an agent: an element, and `watch(viewer)`. The element is hidden unless the viewer is a seat. */
export function debugView(path) {
  let [viewer, again] = ["public", null];
  const problem = element("div");
  const buttons = [["Step", "step"], ["My next decision", "next"], ["Run", "run"], ["Pause", "pause"]].map(([name, pace]) =>
    element("button", { type: "button", onclick: () => set(pace) }, name));
  const [step, next, run, pause] = buttons;
  const pace = element("p", { class: "filters", hidden: true }, ...buttons);
  const list = element("ol", { class: "actions", tabindex: "0", "aria-label": "Answers" });
  const section = element("section", { hidden: true }, element("h2", {}, "The agent's answers"), pace, problem, list);

  const set = async (wanted) => {
    try {
      await ask(query(`${path}/debug`, { as: viewer }), post({ pace: wanted }));
      problem.replaceChildren();
    } catch (error) {
      problem.replaceChildren(failure(error));
    }
  };
  const take = ({ pausing, answers }) => {
    pace.hidden = false;
    [step.disabled, next.disabled, run.disabled, pause.disabled] = [!pausing, !pausing, !pausing, pausing];
    const line = ({ decision, text, refused, took_ms }) => element("li", {},
      `Decision ${decision}: ${text} (${took_ms < 1000 ? `${took_ms} ms` : duration(took_ms)})`,
      refused == null ? null : element("p", { class: "failure" }, `refused: ${refused}`));
    list.replaceChildren(...answers.map(line));
    if (!answers.length) list.append(element("li", { class: "quiet" }, "none yet"));
    list.scrollTop = list.scrollHeight;
  };
  const follow = async (signal, well) => {
    if (viewer === "public") return;
    await readEvents(query(`${path}/debug`, { as: viewer }), { state: take }, signal, well);
    pace.hidden = true;
  };
  return {
    element: section,
    watch(chosen) {
      viewer = chosen;
      section.hidden = viewer === "public";
      if (again) again();
      else again = keepAsking(follow, (error, isFinal) => tell(problem, error, isFinal));
    },
  };
}

// A process `ahu positions`, which answers questions about positions, for programs that search.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface, type Interface } from "node:readline";

/** A process `ahu positions`. Close it, or this process goes on. */
export class Positions {
  private readonly process: ChildProcessWithoutNullStreams;
  private readonly answers: AsyncIterator<string>;

  /** Starts the process of this program. */
  constructor(program = "ahu") {
    this.process = spawn(program, ["positions"]);
    this.process.stderr.pipe(process.stderr);
    const lines: Interface = createInterface({ input: this.process.stdout });
    this.answers = lines[Symbol.asyncIterator]();
  }

  /** Sends a request, and returns the positions of the answer. See docs/reference/positions.md for the fields of both. */
  async ask<Position>(request: object): Promise<(Position & { error?: string })[]> {
    this.process.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await this.answers.next();
    if (line.done) throw new Error("ahu positions has ended");
    const answer = JSON.parse(line.value);
    if (answer.error !== undefined) throw new Error(`ahu positions: ${answer.error}`);
    return answer.positions;
  }

  close(): void {
    this.process.stdin.end();
  }
}

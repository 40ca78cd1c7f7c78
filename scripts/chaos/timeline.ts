/** A login from its request to its end, as seen by one process of a node. Times are epoch ms. */
export interface Span {
  readonly device: string;
  readonly node: string;
  readonly from: number;
  readonly to: number;
}

export interface Excuse {
  readonly node: string;
  readonly why: 'dead' | 'stalled' | 'unheard';
  readonly from: number;
  readonly to: number;
}

interface OpenSpan {
  readonly device: string;
  readonly from: number;
}

export class Timeline {
  readonly spans: Span[] = [];
  readonly excuses: Excuse[] = [];
  readonly #open = new Map<string, Map<number, OpenSpan>>();

  opened(node: string, line: number, device: string, at: number): void {
    const lines = this.#open.get(node) ?? new Map<number, OpenSpan>();
    this.#open.set(node, lines.set(line, { device, from: at }));
  }

  closed(node: string, line: number, at: number): void {
    const open = this.#open.get(node)?.get(line);
    if (!open) return;
    this.#open.get(node)?.delete(line);
    this.spans.push({ ...open, node, to: at });
  }

  died(node: string, at: number): void {
    for (const line of [...(this.#open.get(node)?.keys() ?? [])]) this.closed(node, line, at);
    this.excuses.push({ node, why: 'dead', from: at, to: Number.POSITIVE_INFINITY });
  }

  excuse(excuse: Excuse): void {
    this.excuses.push(excuse);
  }

  finish(at: number): void {
    for (const [node, lines] of this.#open) for (const line of [...lines.keys()]) this.closed(node, line, at);
  }
}

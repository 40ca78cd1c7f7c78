import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Peer } from '../../../test/network-peer/peer.ts';

export interface Said {
  /** Null if the network's ack did not arrive. */
  readonly ms: number | null;
  readonly isRefused: boolean;
}

export type Told =
  | { readonly qr: string }
  | { readonly isLinked: true }
  | ({ readonly netId: string } & Said)
  | { readonly closings: number };
export type Asked = { readonly netId: string; readonly digits: string } | 'closings';

const CHILD = fileURLToPath(new URL('./driver-child.ts', import.meta.url));

/** Runs the driver in a separate process, so that simulated people do not delay it. */
export class DriverProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;
  readonly #waiting = new Map<string, (said: Said) => void>();

  constructor({ url, rootKey }: Pick<Peer, 'url' | 'rootKey'>, directory: string) {
    this.#child = fork(CHILD, [url, rootKey, directory], { execArgv: [] });
    this.#child.on('message', (told: Told) => 'netId' in told && this.#waiting.get(told.netId)?.(told));
    this.#ended = once(this.#child, 'exit').then((): never => {
      throw new Error('the driver’s process ended too early');
    });
    this.#ended.catch(() => {});
  }

  async links(scans: (qr: string) => unknown): Promise<void> {
    for (;;) {
      const told = await this.#told();
      if ('qr' in told) await scans(told.qr);
      if ('isLinked' in told) return;
    }
  }

  async said(netId: string, digits: string): Promise<Said> {
    const answer = new Promise<Said>((resolve) => this.#waiting.set(netId, resolve));
    try {
      this.#ask({ netId, digits });
      return await Promise.race([answer, this.#ended]);
    } finally {
      this.#waiting.delete(netId);
    }
  }

  async closings(): Promise<number> {
    this.#ask('closings');
    const told = await this.#told();
    return 'closings' in told ? told.closings : Number.NaN;
  }

  end(): void {
    this.#child.kill();
  }

  async #told(): Promise<Told> {
    const [told] = await Promise.race([once(this.#child, 'message'), this.#ended]);
    return told;
  }

  /** Send errors are ignored, because `#ended` reports that the process has exited. */
  #ask(asked: Asked): void {
    this.#child.send(asked, () => {});
  }
}

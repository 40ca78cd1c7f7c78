import { fork } from 'node:child_process';
import { join } from 'node:path';
import { type Peer, startPeer } from '../../../test/network-peer/peer.ts';
import { type Call, callerOf } from '../../faults/caller.ts';
import { until } from '../../faults/processes.ts';
import type { Baseline } from '../../faults/whatsapp/published.ts';
import { scratchDirectory } from '../scratch.ts';
import { BenchGateway } from './gateway.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000011';
const TEXT = 'The quick brown fox jumps over the lazy dog, and does so again and again. No. ';
const WARM_UP = 50;
const MAX_CONCURRENT = 10;

/** A sending process, and the network that it sends to. */
interface Sender {
  readonly peer: Peer;
  /** `to`: digits, or a group's address. */
  send(to: string, body: string): Promise<unknown>;
  /** Milliseconds that the process has computed so far. */
  cpu(): Promise<number>;
  close(): Promise<void>;
}

/** CPU in ms a message, of one round. */
export interface Round {
  readonly bare: number;
  readonly gateway: number;
}

/** Batches of warm texts to one contact, or to a group of so many others who all read them, by turns through the bare library and through the whole gateway, each until the last read receipt has been seen. */
export async function pairedRounds(rounds: number, batch: number, baseline: Baseline, { inGroup = 0 } = {}): Promise<readonly Round[]> {
  const bare = await bareSender(baseline);
  const gateway = await gatewaySender();
  try {
    const ofBare = await Warm.up(bare, inGroup);
    const ofGateway = await Warm.up(gateway, inGroup);
    // What a process still learns about its own code is nobody's price.
    await ofBare.cost(batch);
    await ofGateway.cost(batch);
    const all: Round[] = [];
    for (let round = 0; round < rounds; round += 1) all.push({ bare: await ofBare.cost(batch), gateway: await ofGateway.cost(batch) });
    return all;
  } finally {
    await bare.close();
    await gateway.close();
  }
}

async function gatewaySender(): Promise<Sender> {
  const gateway = await BenchGateway.open(scratchDirectory());
  const path = await gateway.link(SHOP);
  return {
    peer: gateway.peer,
    send: (to, body) => gateway.api('POST', `${path}/messages`, { chat_id: to, type: 'text', body }),
    cpu: async () => (await gateway.metrics())('process_cpu_seconds_total') * 1_000,
    close: () => gateway.close(),
  };
}

async function bareSender({ execArgv, env }: Baseline): Promise<Sender> {
  const peer = await startPeer({ givesOwnKeys: true });
  const child = fork(join(import.meta.dirname, 'bare-child.ts'), {
    execArgv: [...execArgv],
    env: { ...process.env, ...env, WHATSAPP_URL: peer.url, WHATSAPP_ROOT_KEY: peer.rootKey },
  });
  const url = await new Promise<string>((resolve) => {
    let isLinked = false;
    child.on('message', (said: { qr?: string; url?: string }) => {
      if (said.qr && !isLinked) {
        isLinked = true;
        void peer.phone(SHOP).scans(said.qr);
      }
      if (said.url) resolve(said.url);
    });
  });
  const call: Call = callerOf(url, {}, { keepAlive: false });
  return {
    peer,
    send: (to, body) => call('POST', '/', { chat_id: to, body }),
    async cpu() {
      const { user, system } = (await call('GET', '/')).body.cpu;
      return (user + system) / 1_000;
    },
    async close() {
      child.kill('SIGKILL');
      await peer.stop();
    },
  };
}

/** A sender whose contact has answered. */
class Warm {
  readonly #sender: Sender;
  readonly #to: string;
  readonly #readers: number;
  #serial = 0;

  private constructor(sender: Sender, to: string, readers: number) {
    this.#sender = sender;
    this.#to = to;
    this.#readers = readers;
  }

  static async up(sender: Sender, inGroup: number): Promise<Warm> {
    const { peer } = sender;
    const others = Array.from({ length: inGroup }, (_, nth) => String(Number(ANNA) + nth));
    const warm = new Warm(sender, inGroup > 0 ? peer.group([SHOP, ...others]).jid : ANNA, Math.max(1, inGroup));
    await warm.#send(WARM_UP);
    await peer.contact(ANNA).writes(SHOP, 'warm');
    await warm.#send(WARM_UP);
    return warm;
  }

  /** Of each of so many, in ms. */
  async cost(messages: number): Promise<number> {
    const before = await this.#sender.cpu();
    await this.#send(messages);
    return ((await this.#sender.cpu()) - before) / messages;
  }

  async #send(messages: number): Promise<void> {
    const { peer, send } = this.#sender;
    const read = (): number => peer.journal.stanzas({ way: 'up', tag: 'ack', attrs: { class: 'receipt', type: 'read' } }).length;
    const before = read();
    for (let sent = 0; sent < messages; sent += MAX_CONCURRENT) {
      await Promise.all(
        Array.from({ length: MAX_CONCURRENT }, () => {
          this.#serial += 1;
          return send(this.#to, TEXT + this.#serial);
        }),
      );
    }
    await until(60_000, async () => read() - before >= messages * this.#readers);
    peer.journal.clear();
  }
}

import { fork } from 'node:child_process';
import { join } from 'node:path';
import { type Call, callerOf } from '../../../../scripts/faults/caller.ts';
import { until } from '../../../../scripts/faults/processes.ts';
import { type Peer, startPeer } from '../../peer/peer.ts';
import { KillWorld, SHOP } from '../kill/world.ts';

const ANNA = '6281100000011';
const TEXT = 'The quick brown fox jumps over the lazy dog, and does so again and again. No. ';
const WARM_UP = 50;
const AT_ONCE = 10;

/** A sending process, and the network that it sends to. */
interface Sender {
  readonly peer: Peer;
  send(body: string): Promise<unknown>;
  /** Milliseconds that the process has computed so far. */
  cpu(): Promise<number>;
  close(): Promise<void>;
}

/** CPU in ms a message, of one round. */
export interface Round {
  readonly bare: number;
  readonly gateway: number;
}

/** Batches of warm texts to one contact, by turns through the bare library and through the whole gateway, each until the last read receipt has been seen. */
export async function pairedRounds(rounds: number, batch: number): Promise<readonly Round[]> {
  const bare = await bareSender();
  const gateway = await gatewaySender();
  try {
    const ofBare = await Warm.up(bare);
    const ofGateway = await Warm.up(gateway);
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
  const world = await KillWorld.open({ mongodbUrl: null, isKilled: false });
  const url = await world.gateway.url;
  return {
    peer: world.peer,
    send: (body) => world.api('POST', `${world.path}/messages`, { chat_id: ANNA, type: 'text', body }),
    async cpu() {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]) * 1_000;
    },
    close: () => world.close(),
  };
}

async function bareSender(): Promise<Sender> {
  const peer = await startPeer();
  const child = fork(join(import.meta.dirname, 'bare-child.ts'), {
    execArgv: [],
    env: { ...process.env, WHATSAPP_URL: peer.url, WHATSAPP_ROOT_KEY: peer.rootKey },
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
    send: (body) => call('POST', '/', { chat_id: ANNA, body }),
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
  #serial = 0;

  private constructor(sender: Sender) {
    this.#sender = sender;
  }

  static async up(sender: Sender): Promise<Warm> {
    const warm = new Warm(sender);
    await warm.#send(WARM_UP);
    await sender.peer.contact(ANNA).writes(SHOP, 'warm');
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
    for (let sent = 0; sent < messages; sent += AT_ONCE) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => {
          this.#serial += 1;
          return send(TEXT + this.#serial);
        }),
      );
    }
    await until(60_000, async () => read() - before >= messages);
    peer.journal.clear();
  }
}

import { fork } from 'node:child_process';
import { join } from 'node:path';
import { type Peer, startPeer } from '../../../test/network-peer/peer.ts';
import { type Call, callerOf } from '../../faults/caller.ts';
import { baseline } from '../../faults/whatsapp/published.ts';
import { scratchDirectory } from '../scratch.ts';
import { BenchGateway } from './gateway.ts';

export interface Sender {
  readonly peer: Peer;
  /** `place` is the index of the sending phone. `to` is a phone number in digits or a group address. */
  send(place: number, to: string, body: string): Promise<unknown>;
  cpu(): Promise<number>;
  close(): Promise<void>;
}

const LINKED_TOGETHER = 5;

export async function gatewaySender(phones: readonly string[]): Promise<Sender> {
  const gateway = await BenchGateway.open(scratchDirectory());
  const paths: string[] = [];
  for (let from = 0; from < phones.length; from += LINKED_TOGETHER)
    paths.push(...(await Promise.all(phones.slice(from, from + LINKED_TOGETHER).map((phone) => gateway.link(phone)))));
  return {
    peer: gateway.peer,
    send: (place, to, body) => gateway.api('POST', `${paths[place]}/messages`, { chat_id: to, type: 'text', body }),
    cpu: async () => (await gateway.metrics())('process_cpu_seconds_total') * 1_000,
    close: () => gateway.close(),
  };
}

export async function bareSender(phones: readonly string[]): Promise<Sender> {
  const { execArgv, env } = baseline();
  const peer = await startPeer({ givesOwnKeys: true });
  const child = fork(join(import.meta.dirname, 'bare-child.ts'), phones, {
    execArgv: [...execArgv],
    env: { ...process.env, ...env, WHATSAPP_URL: peer.url, WHATSAPP_ROOT_KEY: peer.rootKey },
  });
  const scanned = new Set<string>();
  const url = await new Promise<string>((resolve) => {
    child.on('message', ({ phone, qr, url }: { phone?: string; qr?: string; url?: string }) => {
      if (url) resolve(url);
      if (!phone || !qr || scanned.has(phone)) return;
      scanned.add(phone);
      void peer.phone(phone).scans(qr);
    });
  });
  const call: Call = callerOf(url, {}, { keepAlive: false });
  return {
    peer,
    send: (place, to, body) => call('POST', '/', { place, chat_id: to, body }),
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

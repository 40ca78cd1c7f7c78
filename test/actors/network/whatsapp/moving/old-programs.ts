import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BufferJSON } from '@whiskeysockets/baileys';
import type { SourceRecord } from '../../../../../scripts/commands/shell/move-in/source.ts';
import { type Auth, Bare, newAuth, trust } from '../../../../network-peer/bare.ts';
import { copyFor, Whatsmeow } from '../../../../network-peer/witness/whatsmeow.ts';
import { passing, type RealGateway } from '../gateway.ts';
import { asEarlier } from './earlier-session.ts';

/** A program that is linked to a phone, and ends without logging out. */
export interface OldProgram {
  gets(id: string): Promise<unknown>;
  sends(to: string, text: string): Promise<unknown>;
  ends(): Promise<void>;
}

/** The unmodified client library, with all that it keeps, as JSON holds it. */
export interface OldBaileys extends OldProgram {
  records(): readonly SourceRecord[];
}

export async function anOldBaileys({ peer, clock }: RealGateway, digits: string): Promise<OldBaileys> {
  trust(peer.rootKey);
  const kept = new Map<string, unknown>();
  const { creds, keys } = newAuth();
  const auth: Auth = {
    creds,
    keys: {
      ...keys,
      set(data) {
        for (const [kind, values] of Object.entries(data))
          for (const [id, value] of Object.entries(values ?? {})) {
            if (value) kept.set(`${kind}/${id}`, value);
            else kept.delete(`${kind}/${id}`);
          }
        return keys.set(data);
      },
    },
  };
  const linking = new Bare(peer, auth);
  const qr = await passing(
    clock,
    linking.hears('connection.update', (update) => update.qr),
  );
  await peer.phone(digits).scans(qr);
  await passing(clock, linking.closes());
  const bare = new Bare(peer, auth);
  await passing(clock, bare.opens());
  return {
    gets: (id) => bare.receives(id),
    sends: (jid, text) => bare.sock.sendMessage(jid, { text }),
    async ends() {
      bare.sock.end(undefined);
      await passing(clock, bare.closes());
    },
    records: () => [...[...kept].map(([name, value]) => recordOf(name, value)), { kind: 'creds', id: 'creds', value: inJson(creds) }],
  };
}

function recordOf(name: string, value: unknown): SourceRecord {
  const at = name.indexOf('/');
  const kind = name.slice(0, at);
  return { kind, id: name.slice(at + 1), value: inJson(kind === 'session' && value instanceof Uint8Array ? asEarlier(value) : value) };
}

const inJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value, BufferJSON.replacer));

/** The unmodified program. Its database is `file`. */
export async function anOldWhatsmeow(
  { peer, clock }: RealGateway,
  digits: string,
  program: string,
  directory: string,
): Promise<OldProgram & { readonly file: string }> {
  const certificate = join(directory, 'media.pem');
  writeFileSync(certificate, peer.media.certificate);
  const computer = new Whatsmeow({ program: copyFor(peer, program, directory), directory, certificate });
  const linked = async (): Promise<void> => {
    await computer.start();
    await computer.does('getQRChannel');
    await computer.does('connect');
    const { code } = await computer.hears('qr');
    await peer.phone(digits).scans(code);
    await computer.hears('connected');
  };
  await passing(clock, linked());
  return {
    file: join(directory, 'session.db'),
    gets: (id) => computer.gets(id),
    sends: (jid, conversation) => computer.sends(jid, { conversation }),
    ends: () => computer.kill(),
  };
}

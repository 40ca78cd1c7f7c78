import '../silent-logger.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { aDriver, type Driver, linkOurs, type Ours } from '../../actors/network/whatsapp/in-real-time.ts';
import { aDirectory, type Scope } from '../../support/stores.ts';
import { type Peer, startPeer } from '../peer.ts';
import { copyFor, installed, Whatsmeow } from './whatsmeow.ts';

export interface Interop {
  readonly peer: Peer;
  readonly directory: string;
  /** A computer for this phone, not linked yet. */
  whatsmeow(digits: string): Promise<Whatsmeow>;
  /** A computer that was linked by QR code and is online. */
  computerOf(digits: string): Promise<Whatsmeow>;
  /** The gateway's device takes over a login, and connects. */
  readonly adopt: Driver['adopt'];
  /** The gateway's device, linked and logged in. */
  ours(digits: string): Promise<Ours>;
}

const PROGRAM = installed();

/** Declares tests that need whatsmeow. Without whatsmeow, they are skipped with a message. */
export function withWhatsmeow(what: string, tests: (world: () => Interop) => void): void {
  if (!PROGRAM) console.log(`whatsmeow is not installed for ${process.platform}-${process.arch}: ${what} is left out.`);
  describe(what, { skip: PROGRAM === null && 'whatsmeow is not installed for this platform' }, () => {
    let world: Interop | null = null;
    const ends: (() => unknown)[] = [];
    const scope: Scope = { after: (end) => void ends.unshift(end as () => unknown) };
    before(async () => {
      world = await interop(scope, PROGRAM!);
    });
    after(async () => {
      for (const end of ends) await end();
    });
    tests(() => world!);
  });
}

async function interop(scope: Scope, program: string): Promise<Interop> {
  const peer = await startPeer();
  const directory = aDirectory(scope);
  scope.after(() => peer.stop());
  const certificate = join(directory, 'media.pem');
  writeFileSync(certificate, peer.media.certificate);
  const copy = copyFor(peer, program, directory);
  const { open, adopt } = await aDriver(scope, peer, directory);
  let computers = 0;
  const whatsmeow = async (digits: string): Promise<Whatsmeow> => {
    computers += 1;
    const own = join(directory, `${digits}-${computers}`);
    mkdirSync(own);
    const computer = new Whatsmeow({ program: copy, directory: own, certificate });
    scope.after(() => computer.kill());
    await computer.start();
    return computer;
  };
  return {
    peer,
    directory,
    whatsmeow,
    adopt,
    async computerOf(digits) {
      const computer = await whatsmeow(digits);
      await linkByPicture(peer, computer, digits);
      return computer;
    },
    ours: (digits) => linkOurs(peer, open, digits),
  };
}

async function linkByPicture(peer: Peer, computer: Whatsmeow, digits: string): Promise<void> {
  await computer.does('getQRChannel');
  await computer.does('connect');
  const { code } = await computer.hears('qr');
  await peer.phone(digits).scans(code);
  await computer.hears('connected');
}

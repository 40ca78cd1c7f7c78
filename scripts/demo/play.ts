import { pause, systemClock } from '../../runtime/clock.ts';
import { at } from '../../runtime/invariant.ts';
import { expected } from '../faults/caller.ts';
import { linesOfPicture, type Picture, pictureOf } from './picture.ts';
import type { Screen } from './screen.ts';
import { type DemoDevice, moveIn } from './tenant.ts';
import { Traffic, type Verdict } from './traffic.ts';
import { LEASE_MS, ready, type World } from './world.ts';

const DEVICES = 12;
const DRAW_EVERY_MS = 250;
const POLL_MS = 5_000;
const VICTIM = 1;

export async function play(world: World, screen: Screen): Promise<boolean> {
  screen.say(`Three nodes are running: ${world.nodes.map(({ id, url }) => `${id} ${url}`).join(', ')}. The store is ${world.store}.`);
  const devices = await moveIn(world, DEVICES);
  const show = new Show(world, screen, devices);
  screen.say(`A tenant linked ${DEVICES} devices. Each of them now sends four messages a second, through any node.`);
  show.start();
  await pause(systemClock, POLL_MS);

  const back = await loseANode(show);
  await pause(systemClock, POLL_MS);
  await startItAgain(show);
  await pause(systemClock, POLL_MS);

  await show.stop();
  const verdict = await settled(show.traffic);
  screen.say(summary(verdict, back, show.traffic.refused));
  return verdict.lost === 0 && verdict.twice === 0;
}

class Show {
  readonly world: World;
  readonly screen: Screen;
  readonly devices: readonly DemoDevice[];
  readonly traffic: Traffic;
  picture: Picture | null = null;
  #isOn = true;
  #drawing: Promise<void> = Promise.resolve();

  constructor(world: World, screen: Screen, devices: readonly DemoDevice[]) {
    this.world = world;
    this.screen = screen;
    this.devices = devices;
    this.traffic = new Traffic(world, devices);
  }

  start(): void {
    this.traffic.start();
    this.#drawing = this.#drawOn();
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#drawing;
    await this.traffic.stop();
  }

  async #drawOn(): Promise<void> {
    while (this.#isOn) {
      this.picture = (await pictureOf(this.world, this.devices)) ?? this.picture;
      if (this.picture) this.screen.draw(linesOfPicture(this.picture), `${this.traffic.accepted} messages accepted`);
      await pause(systemClock, DRAW_EVERY_MS);
    }
  }
}

/** Returns the ms from the kill to the last login. */
async function loseANode({ world, screen, picture, devices }: Show): Promise<number> {
  const victim = at(world.nodes, VICTIM);
  const own = devices.filter(({ number }) => picture?.nodes.get(victim.id)?.includes(number));
  const { next } = expected(await world.sandbox('GET', '/sandbox/journal?limit=10000'), 200);
  screen.say(
    `${victim.id} is killed (kill -9). It ran devices ${own.map(({ number }) => number).join(' ')}; its leases last ${LEASE_MS / 1000} s.`,
  );
  const killedAt = systemClock.now();
  await victim.kill();
  const logins = await ready('its devices are back', async () => {
    const { entries } = expected(await world.sandbox('GET', `/sandbox/journal?after=${next}&limit=10000`), 200);
    const found = own.map(({ phone }) => firstLogin(entries, phone, killedAt));
    return found.every((at) => at !== undefined) ? found : null;
  });
  const ms = Math.max(0, ...logins.map((at) => Number(at) - killedAt));
  screen.say(`They are online on the other nodes, the last one ${seconds(ms)} after the kill.`);
  return ms;
}

interface Entry {
  readonly what: string;
  readonly phone: string;
  readonly at: number;
}

const firstLogin = (entries: readonly Entry[], phone: string, after: number): number | undefined =>
  entries.find((entry) => entry.what === 'login' && entry.phone === phone && entry.at >= after)?.at;

async function startItAgain(show: Show): Promise<void> {
  const node = at(show.world.nodes, VICTIM);
  show.screen.say(`${node.id} starts again.`);
  await node.start();
  const share = Math.floor(DEVICES / show.world.nodes.length) - 1;
  await ready('it takes its share', async () => (show.picture?.nodes.get(node.id)?.length ?? 0) >= share);
  show.screen.say(`${node.id} has taken its share again, by itself.`);
}

const PATIENCE_MS = 10_000;

async function settled(traffic: Traffic): Promise<Verdict> {
  const endsAt = systemClock.monotonic() + PATIENCE_MS;
  for (;;) {
    const verdict = await traffic.verdict();
    if (verdict.lost === 0 || systemClock.monotonic() > endsAt) return verdict;
    await pause(systemClock, DRAW_EVERY_MS);
  }
}

function summary({ accepted, lost, twice, dropped }: Verdict, backMs: number, refused: number): string {
  const lines = [
    '',
    `${accepted} messages were accepted. ${lost === 0 ? 'Every one arrived' : `${lost} NEVER ARRIVED`}, ${twice === 0 ? 'none of them twice' : `${twice} MORE THAN ONCE`}.`,
    `The devices of the killed node were away for ${seconds(backMs)} (leases: ${LEASE_MS / 1000} s). Their messages waited in the store.`,
    refused === 0 ? 'Every call was answered.' : `Calls without an answer because the node was killed meanwhile: ${refused}.`,
  ];
  if (dropped > 0)
    lines.push(`${dropped} messages of unknown outcome were sent again under the same network id; the network dropped the second copy.`);
  return lines.join('\n');
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

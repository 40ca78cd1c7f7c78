import { asError } from '../../runtime/errors.ts';
import { present } from '../../runtime/invariant.ts';
import { seededRandom } from '../../runtime/random.ts';
import { expected } from './caller.ts';
import { World } from './world.ts';

export interface AuditRun {
  readonly kills: number;
  readonly seed: number;
  readonly mongodbUrl: string | null;
  /** True for the control run, which writes audit entries after the actions. */
  readonly after?: boolean;
}

export interface AuditRunVerdict {
  readonly kills: number;
  readonly acts: number;
  readonly missing: number;
  readonly twice: number;
  readonly untrue: number;
  readonly verified: boolean;
}

interface Act {
  readonly action: string;
  readonly id: string;
}

const PAGE = 200;

export async function runAudit({ kills, seed, mongodbUrl, after = false }: AuditRun): Promise<AuditRunVerdict> {
  const random = seededRandom(seed);
  const env = after ? { AUDIT_AFTER: '1' } : {};
  const world = await World.open({ guard: 'on', mongodbUrl, victim: { name: 'audit', env } });
  const done: Act[] = [];
  try {
    for (let killed = 0; killed < kills; killed += 1) {
      world.gateway.arm(`${random() < 0.6 ? 'before' : 'after'}:${1 + Math.floor(random() * 3)}`);
      while (await acted(world, done));
      await world.gateway.ended;
      await world.start();
      await lookAfter(world, done);
    }
    return { kills, acts: done.length, ...(await verdictOf(world, done)) };
  } finally {
    await world.close();
  }
}

let made = 0;
let open: { readonly action: string; readonly name: string; readonly id: string | null } | null = null;

async function acted({ api }: World, done: Act[]): Promise<boolean> {
  const last = done.at(-1);
  made += 1;
  const name = `template ${made}`;
  try {
    if (!last || last.action === 'template.delete') {
      open = { action: 'template.create', name, id: null };
      const { id } = expected(await api('POST', '/v1/templates', { name, message_type: 'text', body: 'Hi' }), 201);
      done.push({ action: open.action, id });
    } else if (last.action === 'template.create') {
      open = { action: 'template.update', name, id: last.id };
      expected(await api('PATCH', `/v1/templates/${last.id}`, { name }), 200);
      done.push({ action: open.action, id: last.id });
    } else {
      open = { action: 'template.delete', name, id: last.id };
      expected(await api('DELETE', `/v1/templates/${last.id}`), 200);
      done.push({ action: open.action, id: last.id });
    }
    return true;
  } catch (cause) {
    if (/answered \d/.test(asError(cause).message)) throw cause;
    return false;
  }
}

async function lookAfter({ api }: World, done: Act[]): Promise<void> {
  const { templates }: { templates: { id: string; name: string }[] } = expected(await api('GET', '/v1/templates'), 200);
  const { action, name, id } = present(open, 'an open act');
  const found = templates.find((one) => (id === null ? one.name === name : one.id === id));
  const wasDone = action === 'template.delete' ? !found : found?.name === name;
  if (wasDone) done.push({ action, id: id ?? present(found, 'what was made').id });
}

async function verdictOf({ api }: World, done: readonly Act[]): Promise<Omit<AuditRunVerdict, 'kills' | 'acts'>> {
  const entries: { action: string; target: { id: string } }[] = [];
  for (let place: string | null = ''; place !== null; ) {
    const page: { entries: typeof entries; next_before: number | null; next_before_id: string | null } = expected(
      await api('GET', `/v1/audit?limit=${PAGE}${place}`),
      200,
    );
    entries.push(...page.entries);
    place = page.next_before === null ? null : `&before=${page.next_before}&before_id=${page.next_before_id}`;
  }
  const nameOf = ({ action, id }: Act): string => `${action} ${id}`;
  const counts = new Map<string, number>();
  for (const { action, target } of entries.filter((one) => one.action.startsWith('template.')))
    counts.set(`${action} ${target.id}`, (counts.get(`${action} ${target.id}`) ?? 0) + 1);
  const wanted = new Set(done.map(nameOf));
  return {
    missing: [...wanted].filter((name) => !counts.has(name)).length,
    twice: [...counts.values()].filter((count) => count > 1).length,
    untrue: [...counts.keys()].filter((name) => !wanted.has(name)).length,
    verified: expected(await api('GET', '/v1/audit/verify'), 200).ok,
  };
}

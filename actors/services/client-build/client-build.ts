import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Clock } from '../../../runtime/clock.ts';
import { SerialQueue } from '../../../runtime/serial-queue.ts';
import type { Builds, ClientBuilds, StoredBuilds } from '../../../store/devices/client-build.ts';
import {
  acked,
  ageInUse,
  type BuildSettings,
  type BuildSource,
  type BuildUser,
  buildFor,
  buildIn,
  buildInPage,
  claimed,
  closed,
  departed,
  expiryOf,
  inUse,
  isFitCanary,
  isPlausible,
  isUrgent,
  type LookUp,
  lookedUp,
  lookUpBegun,
  lookUpDue,
  NO_BUILDS,
  noticed,
  opened,
  pinnedTo,
  refusedCanaries,
  settled,
  toTry,
  versionOf,
} from '../../domain/client-build.ts';
import { refusal } from '../../domain/refusals.ts';
import { refusalOf } from '../../domain/refused-login.ts';
import type { ConnectionEvent } from '../../network/port.ts';

/**
 * Chooses the build of the network's web client that each login announces. The decisions are made
 * by pure functions (domain/client-build.ts). This service looks up the current build, stores
 * changes in the cluster's single record with a compare-and-set, and wakes devices that wait
 * because their build is outdated. Nodes cache the record. A login never waits for the network's
 * page. It waits for the store only if the device becomes the canary.
 */

export interface BuildLogin {
  readonly sessionId: string;
  readonly isLinked: boolean;
  readonly isSender: boolean;
  readonly byItself: boolean;
}

export interface BuildView {
  readonly version: string;
  readonly source: BuildSource;
  readonly age_days: number;
  readonly expires_at: number | null;
  readonly refused: readonly { readonly version: string; readonly code: number; readonly at: number }[];
  readonly canary: { readonly session_id: string; readonly version: string; readonly since: number } | null;
}

export interface AnnouncedBuild {
  readonly version: string;
  readonly isTried: boolean;
}

export type BuildNews = Extract<ConnectionEvent, { type: 'opened' | 'acked' | 'buildExpires' | 'closed' }>;

export interface BuildFigures {
  readonly ageMs: number;
  readonly expiresInMs: number | null;
  readonly refusedCanaries: number;
}

export interface ClientBuildService {
  /** Makes the device the canary if one is needed. Never rejects. */
  prepare(login: BuildLogin): Promise<void>;
  forLogin(sessionId: string): AnnouncedBuild;
  heard(login: BuildLogin, version: string, said: BuildNews): void;
  departed(sessionId: string): Promise<void>;
  current(): Promise<string>;
  continueAll(now: number): Promise<void>;
  view(): Promise<BuildView>;
  pin(version: string | null, force: boolean): Promise<BuildView>;
  figures(): BuildFigures;
  changed(): Promise<void>;
  idle(): Promise<void>;
}

export interface ClientBuildDeps {
  readonly rows: ClientBuilds;
  readonly settings: Omit<BuildSettings, 'looksUp'>;
  readonly readPage: (() => Promise<string>) | null;
  readonly clock: Clock;
  readonly log: Logger;
  broadcast(): void;
  nudge(sessionId: string | null): void;
}

const MAX_CLASHES = 20;
const OUTDATED = 405;

const TOO_OLD = {
  en: 'version is older than the one shipped with the gateway; send force: true to use it anyway',
  id: 'version lebih lama daripada versi bawaan gateway; kirim force: true untuk tetap memakainya',
};
const REFUSED = { en: 'the network refused this version', id: 'jaringan menolak versi ini' };

export function createClientBuildService(deps: ClientBuildDeps): ClientBuildService {
  const { rows, clock, log, readPage } = deps;
  const settings: BuildSettings = { ...deps.settings, looksUp: readPage !== null };
  /** Changes are serialized, so that a node never conflicts with itself. */
  const changes = new SerialQueue();
  let pending = 0;
  /** Devices of this node with a refused login. One may become the canary and try the next build. */
  const refusedHere = new Map<string, BuildUser>();
  let known: StoredBuilds | null = null;
  let reading: Promise<StoredBuilds> | null = null;
  let lookingUp: Promise<void> = Promise.resolve();

  const read = async (): Promise<StoredBuilds> => (await rows.read()) ?? { builds: NO_BUILDS, writes: 0 };

  async function latest(): Promise<Builds> {
    if (known) return known.builds;
    reading ??= read().finally(() => {
      reading = null;
    });
    return take(await reading);
  }

  function take(found: StoredBuilds): Builds {
    if (known && known.writes >= found.writes) return known.builds;
    const before = known?.builds ?? null;
    known = found;
    if (before) tell(before, found.builds);
    return found.builds;
  }

  function tell(before: Builds, after: Builds): void {
    if (inUse(before, settings).build !== inUse(after, settings).build) return deps.nudge(null);
    const [former, canary] = [before.canary?.session_id, after.canary?.session_id];
    // A new canary tries its build, and the former one goes back to the build in use. Wake both.
    for (const sessionId of former === canary ? [] : [former, canary])
      if (sessionId !== undefined && refusedHere.has(sessionId)) deps.nudge(sessionId);
  }

  function change(next: (builds: Builds) => Builds): Promise<Builds> {
    pending += 1;
    const changed = changes.run(async () => {
      for (let clashes = 0; clashes < MAX_CLASHES; clashes += 1) {
        const { builds, writes } = await read();
        const made = next(builds);
        if (made === builds) return take({ builds, writes });
        if (!(await rows.write(made, writes))) continue;
        report(builds, made);
        take({ builds: made, writes: writes + 1 });
        deps.broadcast();
        return made;
      }
      throw refusal('UNAVAILABLE');
    });
    return changed.finally(() => {
      pending -= 1;
    });
  }

  /** Called only on the node that stored the change, so that it is logged once per cluster. */
  function report(before: Builds, after: Builds): void {
    const [was, is] = [inUse(before, settings), inUse(after, settings)];
    if (was.build !== is.build || was.source !== is.source)
      log.info({ event: 'network.build_used', version: versionOf(is.build), source: is.source }, 'logins now announce another build');
    const { canary } = after;
    if (canary && canary.session_id !== before.canary?.session_id)
      log.info(
        { event: 'network.build_tried', version: versionOf(canary.build), device: canary.session_id },
        'one device is trying a new build',
      );
    const [refused] = after.refused;
    if (refused && !isDeepStrictEqual(refused, before.refused[0]))
      log.error(
        { event: 'network.build_refused', version: versionOf(refused.build), code: refused.code, canary: refused.by_canary },
        'the network refused a build of the client',
      );
    const expires = expiryOf(after, settings);
    if (expires !== null && expires !== expiryOf(before, settings))
      log.warn({ event: 'network.build_expires', version: versionOf(is.build), at: expires }, 'the network will refuse the build in use');
  }

  function note(next: (builds: Builds) => Builds): void {
    if (pending === 0 && known && next(known.builds) === known.builds) return;
    change(next).then(afterwards, failed);
  }

  const failed = (cause: unknown): void => log.warn({ event: 'network.build_delayed', err: cause }, 'builds could not be read or stored');

  function afterwards(builds: Builds): void {
    const now = clock.now();
    if (isUrgent(builds, settings, now)) void begin('urgent');
    const fit = toTry(builds, settings, now) === null ? undefined : [...refusedHere.values()].find((one) => isFitCanary(settings, one));
    if (fit) change((latter) => claimed(latter, settings, fit, clock.now())).catch(failed);
  }

  function begin(kind: LookUp): Promise<void> {
    lookingUp = lookingUp.then(() => lookUp(kind)).catch(failed);
    return lookingUp;
  }

  async function lookUp(kind: LookUp): Promise<void> {
    const turn = { isOurs: false };
    await change((builds) => {
      const now = clock.now();
      turn.isOurs = kind === 'urgent' ? isUrgent(builds, settings, now) : lookUpDue(builds, settings, now) === kind;
      return turn.isOurs ? lookUpBegun(builds, kind, now) : builds;
    });
    if (!turn.isOurs || !readPage) return;
    const build = await currentBuild(readPage);
    if (build !== null) afterwards(await change((builds) => lookedUp(builds, settings, { build, kind }, clock.now())));
  }

  async function currentBuild(readPage: () => Promise<string>): Promise<number | null> {
    try {
      const build = buildInPage(await readPage());
      if (build === null) throw new Error('the page names no build');
      if (!isPlausible(build, clock.now())) throw new Error(`the page names ${versionOf(build)}, which cannot exist yet`);
      return build;
    } catch (cause) {
      log.warn({ event: 'network.build_lookup_failed', err: cause }, 'the current build of the client could not be looked up');
      return null;
    }
  }

  function announced(builds: Builds, sessionId: string): AnnouncedBuild {
    const build = buildFor(builds, settings, sessionId);
    return { version: versionOf(build), isTried: build !== inUse(builds, settings).build };
  }

  function viewOf(builds: Builds): BuildView {
    const { build, source } = inUse(builds, settings);
    const { canary } = builds;
    return {
      version: versionOf(build),
      source,
      age_days: Math.floor(ageInUse(builds, settings, clock.now()) / 86_400_000),
      expires_at: expiryOf(builds, settings),
      refused: builds.refused.map((one) => ({ version: versionOf(one.build), code: one.code, at: one.at })),
      canary: canary && { session_id: canary.session_id, version: versionOf(canary.build), since: canary.since },
    };
  }

  return {
    async prepare({ sessionId, isLinked, isSender, byItself }) {
      const user = { sessionId, isFit: isLinked && !isSender && byItself };
      try {
        const builds = await latest();
        const isOffered = toTry(builds, settings, clock.now()) !== null && isFitCanary(settings, user);
        if (isOffered) await change((latter) => claimed(latter, settings, user, clock.now()));
      } catch (cause) {
        failed(cause);
      }
    },

    forLogin: (sessionId) => announced(known?.builds ?? NO_BUILDS, sessionId),

    heard(login, version, said) {
      const { sessionId } = login;
      const build = buildIn(version);
      if (build === null) return;
      switch (said.type) {
        case 'opened':
          refusedHere.delete(sessionId);
          return note((builds) => opened(builds, sessionId, build, clock.now()));
        case 'acked':
          return note((builds) => acked(builds, sessionId, build, clock.now()));
        case 'buildExpires':
          return note((builds) => noticed(builds, settings, { build, at: said.at }, clock.now()));
        case 'closed': {
          const { code } = said;
          // The device logs in again automatically, and may become the canary then.
          if (refusalOf(code) && login.isLinked) refusedHere.set(sessionId, { sessionId, isFit: !login.isSender });
          note((builds) => closed(builds, settings, { sessionId, build, code }, clock.now()));
          if (code !== OUTDATED || !known) return;
          afterwards(known.builds);
          // Another build was chosen while this login was in progress, so try again at once.
          if (buildFor(known.builds, settings, sessionId) !== build) deps.nudge(sessionId);
        }
      }
    },

    async departed(sessionId) {
      refusedHere.delete(sessionId);
      afterwards(await change((builds) => departed(builds, sessionId)));
    },

    current: async () => versionOf(inUse(await latest(), settings).build),

    async continueAll(now) {
      take(await read());
      const builds = await latest();
      const due = lookUpDue(builds, settings, now);
      if (settled(builds, now) !== builds) await change((latter) => settled(latter, clock.now()));
      if (due) void begin(due);
      afterwards(await latest());
    },

    view: async () => viewOf(take(await read())),

    async pin(version, force) {
      const build = version === null ? null : buildIn(version);
      const builds = await change((latter) => {
        const pinned = pinnedTo(latter, build, force, clock.now());
        if (pinned === 'refused') throw refusal('CONFLICT', { reason: REFUSED });
        if (pinned === 'too_old') throw refusal('VALIDATION_FAILED', { field: 'version', reason: TOO_OLD });
        return pinned;
      });
      return viewOf(builds);
    },

    figures() {
      const builds = known?.builds ?? NO_BUILDS;
      const now = clock.now();
      const expires = expiryOf(builds, settings);
      return {
        ageMs: ageInUse(builds, settings, now),
        expiresInMs: expires === null ? null : expires - now,
        refusedCanaries: refusedCanaries(builds, now).length,
      };
    },

    idle: () => lookingUp,

    changed: async () => afterwards(take(await read())),
  };
}

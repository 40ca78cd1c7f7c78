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
 * Chooses the build of the network's web client that each login announces, and learns from what the network answers. What is decided is pure
 * (domain/client-build.ts); this looks the current build up, stores each change in the cluster's one record where nobody else changed it
 * meanwhile, and nudges devices that wait with an outdated build. A node knows the record as of its last change or sweep: a login never
 * waits for the network's page, and only the claim of a canary waits for the store.
 */

export interface BuildLogin {
  readonly sessionId: string;
  readonly isLinked: boolean;
  /** The platform's own device, which sends one-time codes. */
  readonly isSender: boolean;
  /** Nobody asked for it, and no phone was just linked. */
  readonly byItself: boolean;
}

/** Builds as the operator sees them. Times are epoch ms. */
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

/** What the network says that may be about a build; `acked` counts for the canary alone. */
export type BuildNews = Extract<ConnectionEvent, { type: 'opened' | 'acked' | 'buildExpires' | 'closed' }>;

/** The figures of the build in use. */
export interface BuildFigures {
  readonly ageMs: number;
  readonly expiresInMs: number | null;
  readonly refusedCanaries: number;
}

export interface ClientBuildService {
  /** Before a login lines up: reads the builds, and makes the device the canary where one is wanted. Never rejects. */
  prepare(login: BuildLogin): Promise<void>;
  /** As it dials: the version that this login announces, and whether it is the one that tries it. */
  forLogin(sessionId: string): AnnouncedBuild;
  /** The network said this on a login that announced `version`. */
  heard(login: BuildLogin, version: string, said: BuildNews): void;
  /** The device was deleted: another one may be the canary, and nothing names this one any more. */
  departed(sessionId: string): Promise<void>;
  /** The version that is in use, as far as this node knows. */
  current(): Promise<string>;
  /** Reads what other nodes changed, and looks the build up where that is due. */
  continueAll(now: number): Promise<void>;
  /** The builds as stored now. */
  view(): Promise<BuildView>;
  /** Null: automatic. Refuses VALIDATION_FAILED (older than the built-in one, without `force`) and CONFLICT (the network refused it). */
  pin(version: string | null, force: boolean): Promise<BuildView>;
  figures(): BuildFigures;
  /** Another node changed the record. */
  changed(): Promise<void>;
  /** Resolves when no look-up is under way. */
  idle(): Promise<void>;
}

export interface ClientBuildDeps {
  readonly rows: ClientBuilds;
  readonly settings: Omit<BuildSettings, 'looksUp'>;
  /** The page that names the network's current build; null: builds are not looked up. */
  readonly readPage: (() => Promise<string>) | null;
  readonly clock: Clock;
  readonly log: Logger;
  /** Lets every node know that the record changed. */
  broadcast(): void;
  /** Devices of this node that wait with an outdated build try again: this one, or (null) all. */
  nudge(sessionId: string | null): void;
}

const MAX_CLASHES = 20;
const OUTDATED = 405;

const TOO_OLD = {
  en: 'version is older than the one that the gateway was released with; send force: true to use it all the same',
  id: 'version lebih lama daripada versi bawaan gateway; kirim force: true untuk tetap memakainya',
};
const REFUSED = { en: 'the network refused this version', id: 'jaringan menolak versi ini' };

export function createClientBuildService(deps: ClientBuildDeps): ClientBuildService {
  const { rows, clock, log, readPage } = deps;
  const settings: BuildSettings = { ...deps.settings, looksUp: readPage !== null };
  /** Changes in turn, so that a node never clashes with itself. */
  const changes = new SerialQueue();
  let pending = 0;
  /** Devices here whose login was refused; one that is fit for it may try the next build. */
  const refusedHere = new Map<string, BuildUser>();
  let known: StoredBuilds | null = null;
  let reading: Promise<StoredBuilds> | null = null;
  let lookingUp: Promise<void> = Promise.resolve();

  const read = async (): Promise<StoredBuilds> => (await rows.read()) ?? { builds: NO_BUILDS, writes: 0 };

  /** As of the last reading; before the first one, as stored. */
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

  /** What a node does about a change, whoever made it. */
  function tell(before: Builds, after: Builds): void {
    if (inUse(before, settings).build !== inUse(after, settings).build) return deps.nudge(null);
    const [former, canary] = [before.canary?.session_id, after.canary?.session_id];
    // The new canary tries, and one that was refused comes back with the build in use.
    for (const sessionId of former === canary ? [] : [former, canary])
      if (sessionId !== undefined && refusedHere.has(sessionId)) deps.nudge(sessionId);
  }

  /** Stores what `next` makes of the builds; gives them as they are then. */
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

  /** The change was stored by this node alone, so it is logged once in a cluster. */
  function report(before: Builds, after: Builds): void {
    const [was, is] = [inUse(before, settings), inUse(after, settings)];
    if (was.build !== is.build || was.source !== is.source)
      log.info(
        { event: 'network.build_used', version: versionOf(is.build), source: is.source },
        'logins announce another build from now on',
      );
    const { canary } = after;
    if (canary && canary.session_id !== before.canary?.session_id)
      log.info(
        { event: 'network.build_tried', version: versionOf(canary.build), device: canary.session_id },
        'one device tries a new build',
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

  /** A change that nobody waits for. One that changes nothing of what this node knows, with no change under way, asks the store nothing. */
  function note(next: (builds: Builds) => Builds): void {
    if (pending === 0 && known && next(known.builds) === known.builds) return;
    change(next).then(afterwards, failed);
  }

  const failed = (cause: unknown): void => log.warn({ event: 'network.build_delayed', err: cause }, 'builds could not be read or stored');

  /** What follows from a change that this node made or learned of. */
  function afterwards(builds: Builds): void {
    const now = clock.now();
    if (isUrgent(builds, settings, now)) void begin('urgent');
    const fit = toTry(builds, settings, now) === null ? undefined : [...refusedHere.values()].find((one) => isFitCanary(settings, one));
    if (fit) change((latter) => claimed(latter, settings, fit, clock.now())).catch(failed);
  }

  /** Looks the build up, unless another node is at it. */
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
      if (!isPlausible(build, clock.now())) throw new Error(`the page names ${versionOf(build)}, which cannot be there yet`);
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
          // When it tries again, it does so by itself.
          if (refusalOf(code) && login.isLinked) refusedHere.set(sessionId, { sessionId, isFit: !login.isSender });
          note((builds) => closed(builds, settings, { sessionId, build, code }, clock.now()));
          if (code !== OUTDATED || !known) return;
          afterwards(known.builds);
          // Another build was chosen while this login was under way.
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
      // Nobody waits for the network's page.
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

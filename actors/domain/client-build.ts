import type { Builds, RefusedBuild } from '../../store/devices/client-build.ts';
import { refusalOf } from './refused-login.ts';

/**
 * Chooses the build of the network's web client that a login announces. One device, the canary,
 * tries a build that was looked up. All other devices use that build once it has proven to work.
 * Functions take and return the stored builds, and return the same object if nothing has changed.
 * The builds are a single record of the cluster (store/devices/client-build.ts).
 */

/** The build of the client library in use. A test compares this with the library. */
export const BUILT_IN = 1_043_857_760;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Usual daily growth of build numbers, from which a build's age is estimated. */
const BUILDS_A_DAY = 65_000;
const KNOWN = { build: 1_037_076_227, at: Date.UTC(2026, 3, 10) } as const;
/** Twice the usual growth. A looked-up build that exceeds it is not trusted. */
const MOST_A_DAY = 130_000;

/** A canary connected for this long proves its build good, even if it sent no message. */
const TRIED_MS = 30 * MINUTE_MS;
/** Number of closed connections (500, 515) after which a build is considered refused. */
const MOST_LOSSES = 3;
const TRIES_A_DAY = 2;
const NOTICE_AT_LEAST_MS = 3 * DAY_MS;
const KEPT_REFUSALS = 20;
const REFUSALS_FOR_MS = 30 * DAY_MS;

export const NO_BUILDS: Builds = {
  pinned: null,
  proven: null,
  candidate: null,
  seen: null,
  canary: null,
  refused: [],
  looked_at: null,
  urgent_at: null,
  expires: null,
};

export interface BuildSettings {
  readonly pinned: number | null;
  /** Devices in the setting WHATSAPP_CANARY. If empty, any device can be the canary. */
  readonly canaries: readonly string[];
  readonly looksUp: boolean;
}

export interface BuildUser {
  readonly sessionId: string;
  readonly isFit: boolean;
}

export type BuildSource = 'pinned' | 'built_in' | 'looked_up';
export type LookUp = 'daily' | 'confirming' | 'urgent';

export const versionOf = (build: number): string => `2.3000.${build}`;

export function buildIn(version: string): number | null {
  const digits = /^2\.3000\.(\d{1,10})$/.exec(version)?.[1];
  const build = Number(digits);
  return digits !== undefined && build > 0 && build <= MAX_BUILD ? build : null;
}

/** Builds are 32-bit numbers on the wire. */
const MAX_BUILD = 2 ** 32 - 1;

/** Finds the build in the page's JSON, which may be escaped inside a string. */
export function buildInPage(page: string): number | null {
  const digits = /\\?["']?client_revision\\?["']?\s*:\s*(\d{1,10})(?!\d)/.exec(page)?.[1];
  return digits === undefined ? null : buildIn(versionOf(Number(digits)));
}

export const ageOf = (build: number, now: number): number => Math.max(0, now - KNOWN.at - ((build - KNOWN.build) / BUILDS_A_DAY) * DAY_MS);

export function ageInUse(builds: Builds, settings: BuildSettings, now: number): number {
  const { build } = inUse(builds, settings);
  const chosen = [builds.pinned, builds.proven].find((one) => one?.build === build);
  return Math.max(ageOf(build, now), chosen ? now - chosen.at : 0);
}

const newestAt = (now: number): number => BUILT_IN + MOST_A_DAY * Math.max(1, ageOf(BUILT_IN, now) / DAY_MS);

export function inUse({ pinned, proven }: Builds, settings: BuildSettings): { readonly build: number; readonly source: BuildSource } {
  const fixed = pinned?.build ?? settings.pinned;
  if (fixed !== null) return { build: fixed, source: 'pinned' };
  return proven && proven.build > BUILT_IN ? { build: proven.build, source: 'looked_up' } : { build: BUILT_IN, source: 'built_in' };
}

export function buildFor(builds: Builds, settings: BuildSettings, sessionId: string): number {
  const { build, source } = inUse(builds, settings);
  return source !== 'pinned' && builds.canary?.session_id === sessionId ? builds.canary.build : build;
}

const isRecent = ({ at }: { readonly at: number }, withinMs: number, now: number): boolean => now - at < withinMs;

export const refusedCanaries = ({ refused }: Builds, now: number): readonly RefusedBuild[] =>
  refused.filter((one) => one.by_canary && isRecent(one, DAY_MS, now));

export function toTry(builds: Builds, settings: BuildSettings, now: number): number | null {
  const { candidate, canary } = builds;
  const { build, source } = inUse(builds, settings);
  if (source === 'pinned' || canary || !candidate || candidate.build <= build) return null;
  const failed = refusedCanaries(builds, now);
  return failed.length < TRIES_A_DAY && !failed.some((one) => isRecent(one, HOUR_MS, now)) ? candidate.build : null;
}

export const isFitCanary = ({ canaries }: BuildSettings, { sessionId, isFit }: BuildUser): boolean =>
  isFit && (canaries.length === 0 || canaries.includes(sessionId));

export function claimed(builds: Builds, settings: BuildSettings, user: BuildUser, now: number): Builds {
  const build = toTry(builds, settings, now);
  if (build === null || !isFitCanary(settings, user)) return builds;
  return { ...builds, canary: { session_id: user.sessionId, build, since: now, opened_at: null, losses: 0 } };
}

const isCanary = ({ canary }: Builds, sessionId: string, build: number): boolean =>
  canary !== null && canary.session_id === sessionId && canary.build === build;

export function opened(builds: Builds, sessionId: string, build: number, now: number): Builds {
  const { canary } = builds;
  if (!canary || !isCanary(builds, sessionId, build)) return builds;
  return canary.opened_at === null ? { ...builds, canary: { ...canary, opened_at: now } } : builds;
}

export const acked = (builds: Builds, sessionId: string, build: number, now: number): Builds =>
  isCanary(builds, sessionId, build) && builds.canary?.opened_at !== null ? proved(builds, build, now) : builds;

/** Another client replaced the canary's connection, so this says nothing about the build. */
const REPLACED = 440;
/** Logout and ban codes. If the canary gets one, its build is not tried on other devices. */
const THROWN_OUT: ReadonlySet<number> = new Set([401, 402, 403]);
const LOSSES: ReadonlySet<number> = new Set([500, 515]);
const OUTDATED = 405;

export function closed(builds: Builds, settings: BuildSettings, ended: { sessionId: string; build: number; code: number }, now: number) {
  const { sessionId, build, code } = ended;
  const { canary } = builds;
  if (!canary || !isCanary(builds, sessionId, build))
    return code === OUTDATED && build === inUse(builds, settings).build ? withRefusal(builds, build, code, false, now) : builds;
  if (code === REPLACED) return { ...builds, canary: null };
  if (THROWN_OUT.has(code) || refusalOf(code)) return withRefusal({ ...builds, canary: null }, build, code, true, now);
  const offline = canary.opened_at === null ? canary : { ...canary, since: now, opened_at: null };
  if (!LOSSES.has(code)) return offline === canary ? builds : { ...builds, canary: offline };
  const losses = canary.losses + 1;
  return losses < MOST_LOSSES
    ? { ...builds, canary: { ...offline, losses } }
    : withRefusal({ ...builds, canary: null }, build, code, true, now);
}

export const departed = (builds: Builds, sessionId: string): Builds =>
  builds.canary?.session_id === sessionId ? { ...builds, canary: null } : builds;

/** Records every refusal of the canary, but other devices' refusals only once an hour. */
function withRefusal(builds: Builds, build: number, code: number, by_canary: boolean, now: number): Builds {
  const isNoted = builds.refused.some((one) => one.build === build && one.by_canary === by_canary && isRecent(one, HOUR_MS, now));
  if (isNoted && !by_canary) return builds;
  const known = builds.refused.filter((one) => isRecent(one, REFUSALS_FOR_MS, now) && (by_canary || one.by_canary || one.build !== build));
  return { ...builds, refused: [{ build, code, at: now, by_canary }, ...known].slice(0, KEPT_REFUSALS) };
}

function proved(builds: Builds, build: number, now: number): Builds {
  const older = <T extends { readonly build: number }>(one: T | null): T | null => (one && one.build > build ? one : null);
  return {
    ...builds,
    proven: { build, at: now },
    candidate: older(builds.candidate),
    seen: older(builds.seen),
    canary: null,
    refused: builds.refused.filter((one) => one.build !== build),
    expires: builds.expires?.build === build ? builds.expires : null,
  };
}

export function settled(builds: Builds, now: number): Builds {
  const { canary } = builds;
  if (!canary) return builds;
  if (canary.opened_at !== null) return isRecent({ at: canary.opened_at }, TRIED_MS, now) ? builds : proved(builds, canary.build, now);
  return isRecent({ at: canary.since }, TRIED_MS, now) ? builds : { ...builds, canary: null };
}

const isAutomatic = (builds: Builds, settings: BuildSettings): boolean => settings.looksUp && inUse(builds, settings).source !== 'pinned';

export function lookUpDue(builds: Builds, settings: BuildSettings, now: number): Exclude<LookUp, 'urgent'> | null {
  if (!isAutomatic(builds, settings)) return null;
  const { seen, looked_at } = builds;
  if (seen && !seen.checked && !isRecent(seen, HOUR_MS, now)) return 'confirming';
  return looked_at === null || now - looked_at >= DAY_MS ? 'daily' : null;
}

export function isUrgent(builds: Builds, settings: BuildSettings, now: number): boolean {
  const { build } = inUse(builds, settings);
  const isRefused = builds.refused.some((one) => one.build === build && isRecent(one, HOUR_MS, now));
  return isAutomatic(builds, settings) && isRefused && (builds.urgent_at === null || now - builds.urgent_at >= HOUR_MS);
}

/** Records a lookup before it starts, so that no node repeats it after a crash. */
export function lookUpBegun(builds: Builds, kind: LookUp, now: number): Builds {
  if (kind === 'daily') return { ...builds, looked_at: now };
  if (kind === 'urgent') return { ...builds, urgent_at: now };
  return builds.seen ? { ...builds, seen: { ...builds.seen, checked: true } } : builds;
}

export const isPlausible = (build: number, now: number): boolean => build <= newestAt(now);

export function lookedUp(builds: Builds, settings: BuildSettings, found: { build: number; kind: LookUp }, now: number): Builds {
  const { build, kind } = found;
  const { seen, candidate } = builds;
  if (build <= inUse(builds, settings).build || !isPlausible(build, now)) return seen ? { ...builds, seen: null } : builds;
  if (kind === 'urgent' || (seen?.build === build && !isRecent(seen, HOUR_MS, now)))
    return candidate?.build === build && !seen ? builds : { ...builds, candidate: { build, at: now }, seen: null };
  if (kind === 'confirming') return { ...builds, seen: null };
  return candidate?.build === build ? builds : { ...builds, seen: { build, at: now, checked: false } };
}

/** Records when the network will refuse a build, at least three days ahead. Null if it no longer will. */
export function noticed(builds: Builds, settings: BuildSettings, notice: { build: number; at: number | null }, now: number): Builds {
  const { build } = notice;
  if (build !== inUse(builds, settings).build) return builds;
  const kept = builds.expires?.build === build ? builds.expires : null;
  if (notice.at === null) return kept ? { ...builds, expires: null } : builds;
  const at = Math.max(notice.at, now + NOTICE_AT_LEAST_MS);
  return kept && kept.at <= at ? builds : { ...builds, expires: { build, at } };
}

export function expiryOf(builds: Builds, settings: BuildSettings): number | null {
  const { expires } = builds;
  return expires && expires.build === inUse(builds, settings).build ? expires.at : null;
}

export function pinnedTo(builds: Builds, build: number | null, force: boolean, now: number): Builds | 'refused' | 'too_old' {
  if (build === null) return builds.pinned ? { ...builds, pinned: null } : builds;
  if (builds.refused.some((one) => one.build === build && !THROWN_OUT.has(one.code))) return 'refused';
  if (build < BUILT_IN && !force) return 'too_old';
  return builds.pinned?.build === build ? builds : { ...builds, pinned: { build, at: now }, canary: null };
}

import { BUILT_IN } from '../../domain/client-build.ts';

/**
 * The builds that the simulated network knows and accepts, in memory. A new sandbox accepts all
 * builds, and reports the gateway's own build as the current one.
 */
export interface NetworkBuilds {
  /** The last part of the version that `sw.js` names. */
  readonly current: number;
  /** Logins with an older build are refused (405); null if all builds are accepted. */
  readonly min: number | null;
  /** The announced expiry of the build, epoch ms; null if no expiry is announced. */
  readonly noticeExpiresAt: number | null;
}

export const NEW_NETWORK: NetworkBuilds = { current: BUILT_IN, min: null, noticeExpiresAt: null };

/** Returns the page in the network's format: the number is escaped inside a JSON string. */
export const buildPage = ({ current }: NetworkBuilds): string =>
  `self.__swData=JSON.parse(${JSON.stringify(JSON.stringify({ dynamic_data: { SiteData: { client_revision: current } } }))});\n`;

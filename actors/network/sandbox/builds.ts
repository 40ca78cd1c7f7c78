import { BUILT_IN } from '../../domain/client-build.ts';

/**
 * Which builds of its client the simulated network knows and lets in, for all its numbers. Kept in memory, as everything of the sandbox: a
 * new one names the gateway's own build as the current one and refuses none.
 */
export interface NetworkBuilds {
  /** The last number of the version that `sw.js` names. */
  readonly current: number;
  /** Logins with an older one are refused (405); null: none is. */
  readonly min: number | null;
  /** The announced end of the build, epoch ms; null: none is announced. */
  readonly noticeExpiresAt: number | null;
}

export const NEW_NETWORK: NetworkBuilds = { current: BUILT_IN, min: null, noticeExpiresAt: null };

/** The page as the network has it: the number stands escaped inside a text of JSON. */
export const buildPage = ({ current }: NetworkBuilds): string =>
  `self.__swData=JSON.parse(${JSON.stringify(JSON.stringify({ dynamic_data: { SiteData: { client_revision: current } } }))});\n`;

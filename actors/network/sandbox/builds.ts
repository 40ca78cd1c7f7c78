import { BUILT_IN } from '../../domain/client-build.ts';

/** A new sandbox accepts all builds, and reports the gateway's own build as the current one. */
export interface NetworkBuilds {
  readonly current: number;
  /** Logins with an older build are refused (405). */
  readonly min: number | null;
  readonly noticeExpiresAt: number | null;
}

export const NEW_NETWORK: NetworkBuilds = { current: BUILT_IN, min: null, noticeExpiresAt: null };

/** The number is escaped inside a JSON string, as on the network's own page. */
export const buildPage = ({ current }: NetworkBuilds): string =>
  `self.__swData=JSON.parse(${JSON.stringify(JSON.stringify({ dynamic_data: { SiteData: { client_revision: current } } }))});\n`;

/** Other gateways whose calls and webhooks can be translated (`COMPAT`). */
export const OTHER_GATEWAYS = ['evolution'] as const;
export type OtherGateway = (typeof OTHER_GATEWAYS)[number];

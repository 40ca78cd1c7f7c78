/** Other gateways whose calls can be translated (`COMPAT`). */
export const OTHER_GATEWAYS = ['evolution', 'waha'] as const;
export type OtherGateway = (typeof OTHER_GATEWAYS)[number];

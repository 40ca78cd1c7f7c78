export const OTHER_GATEWAYS = ['evolution', 'waha'] as const;
export type OtherGateway = (typeof OTHER_GATEWAYS)[number];

/**
 * When a node leaves, it gives its actors away kind after kind, lower numbers first: those that fill the lanes of devices go before the
 * devices, and tenants go last because all others still record events.
 */
export const DRAIN_ORDER = { storeLink: 1, campaign: 2, device: 3, jobs: 4, tenant: 5 } as const;

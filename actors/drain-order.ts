/** Actors that queue messages stop before devices. All actors record events, so tenants stop last. */
export const DRAIN_ORDER = { storeLink: 1, campaign: 2, device: 3, jobs: 4, tenant: 5 } as const;

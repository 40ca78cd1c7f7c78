export const CONSENT_COLUMNS = ['phone', 'status', 'source', 'note', 'updated_at', 'lid', 'username'] as const;

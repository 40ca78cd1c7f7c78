// The extension contacts only gateways that the user added in the options.

const LOOPBACK = /^(localhost|127\.0\.0\.1)$/;

/** Returns null unless the address uses https or is on this machine. */
export function originOf(text) {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, origin } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname)) ? origin : null;
}

export async function knownAddresses() {
  const { addresses = [] } = await chrome.storage.local.get('addresses');
  return addresses;
}

export const keepAddresses = (addresses) => chrome.storage.local.set({ addresses });

// The gateways that the person added in the options. The extension talks to no other address.

const LOOPBACK = /^(localhost|127\.0\.0\.1)$/;

/** The origin of a gateway as it is written in the options; null unless it is https, or on this machine. */
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

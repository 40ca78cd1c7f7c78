// The button of the extension opens its page. Nothing else can start it: it listens to no page and no other extension.
chrome.action.onClicked.addListener(() => chrome.tabs.create({ url: chrome.runtime.getURL('link.html') }));

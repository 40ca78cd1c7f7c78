// Only the button opens the page: websites and other extensions cannot send it messages.
chrome.action.onClicked.addListener(() => chrome.tabs.create({ url: chrome.runtime.getURL('link.html') }));

/** Header by which a proxy authenticates; it is removed from requests that are served. */
export const proxySecretHeader = 'x-groundwork-proxy-secret';

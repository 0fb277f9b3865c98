/** Modules that only Python 2 has, and what Python 3 has instead. */
const modules = new Map([
  ['urllib2', 'urllib2 is urllib.request in Python 3'],
  ['urlparse', 'urlparse is urllib.parse in Python 3'],
  ['httplib', 'httplib is http.client in Python 3'],
  ['cookielib', 'cookielib is http.cookiejar in Python 3'],
  ['Cookie', 'Cookie is http.cookies in Python 3'],
  ['BaseHTTPServer', 'BaseHTTPServer is http.server in Python 3'],
  ['SimpleHTTPServer', 'SimpleHTTPServer is http.server in Python 3'],
  ['SocketServer', 'SocketServer is socketserver in Python 3'],
  ['xmlrpclib', 'xmlrpclib is xmlrpc.client in Python 3'],
  ['HTMLParser', 'HTMLParser is html.parser in Python 3'],
  ['htmlentitydefs', 'htmlentitydefs is html.entities in Python 3'],
  ['ConfigParser', 'ConfigParser is configparser in Python 3'],
  ['StringIO', 'io.StringIO or io.BytesIO in Python 3'],
  ['cStringIO', 'io.StringIO or io.BytesIO in Python 3'],
  ['Queue', 'Queue is queue in Python 3'],
  ['cPickle', 'cPickle is pickle in Python 3'],
  ['copy_reg', 'copy_reg is copyreg in Python 3'],
  ['thread', 'write threading in Python 3'],
  ['dummy_thread', 'write threading in Python 3'],
  ['commands', 'write subprocess.getoutput in Python 3'],
  ['__builtin__', '__builtin__ is builtins in Python 3'],
  ['sets', 'write set() in Python 3'],
  ['md5', 'write hashlib.md5 in Python 3'],
  ['sha', 'write hashlib.sha1 in Python 3'],
  ['UserDict', 'UserDict is in collections in Python 3'],
]);

/** Names and members of dictionaries that only Python 2 has, and what to write instead. */
const names = new Map([
  ['unicode', 'write str'],
  ['xrange', 'write range'],
  ['raw_input', 'write input'],
  ['basestring', 'write str'],
  ['long', 'write int'],
  ['unichr', 'write chr'],
  ['reduce', 'import it from functools'],
  ['cmp', 'compare with < and =='],
  ['execfile', 'write exec(open(file).read())'],
  ['file', 'write open'],
  ['reload', 'import it from importlib'],
  ['apply', 'write f(*args)'],
  ['buffer', 'write memoryview'],
  ['StandardError', 'write Exception'],
  ['dict.has_key', 'write key in d'],
  ['dict.iteritems', 'write d.items()'],
  ['dict.iterkeys', 'write d.keys()'],
  ['dict.itervalues', 'write d.values()'],
]);

/** Returns what Python 3 has in place of a module, by the name that is imported; undefined: it is no module of Python 2. */
export function python2Module(name: string): string | undefined {
  return modules.get(name);
}

/** Returns what to write in place of a name, or of `dict.<member>`; undefined: it is no name of Python 2. */
export function python2Name(name: string): string | undefined {
  return names.get(name);
}

"""Addresses an endpoint must not have where endpoints on the own network are not allowed.

Each is refused when it is saved, when it is connected to, and not followed when an endpoint redirects to it. {port} is
the port of the canary, a web server on this machine that must never hear a knock. NAMES is what the tests' name server
knows; the names end in .test, which no real one does.
"""


def words(text):
    return text.split()


_NAMED = words("""
loopback.test=127.0.0.1 loopback-high.test=127.255.255.254 loopback6.test=::1 unspecified.test=0.0.0.0
unspecified6.test=:: ten.test=10.0.0.8 seventeen.test=172.16.0.1 nineteen.test=192.168.1.1 carrier.test=100.64.0.1
carrier-end.test=100.127.255.254 link.test=169.254.1.1 metadata.test=169.254.169.254 link6.test=fe80::1
unique6.test=fd00::1 metadata6.test=fd00:ec2::254 site6.test=fec0::1 multicast.test=224.0.0.1 multicast6.test=ff02::1
broadcast.test=255.255.255.255 mapped.test=::ffff:127.0.0.1 compatible.test=::127.0.0.1 nat64.test=64:ff9b::7f00:1
nat64-local.test=64:ff9b:1::7f00:1 sixtofour.test=2002:7f00:1:: teredo.test=2001:0:4136:e378:8000:63bf:80ff:fffe
azure.test=168.63.129.16 mixed.test=93.184.216.34,127.0.0.1 mixed-first.test=127.0.0.1,93.184.216.34
mixed6.test=93.184.216.34,::1 mixed-many.test=93.184.216.34,1.1.1.1,8.8.8.8,10.1.2.3
mixed-mapped.test=2606:2800:220:1:248:1893:25c8:1946,::ffff:10.0.0.1 xn--bcher-kva.test=127.0.0.1
localhost=127.0.0.1,::1 localhost.localdomain=127.0.0.1 ip6-localhost=::1 metadata.google.internal=169.254.169.254
metadata=169.254.169.254 instance-data=169.254.169.254 kubernetes.default.svc=10.96.0.1 host.docker.internal=172.17.0.1
redis=172.18.0.2 postgres=172.18.0.3 127.0.0.1.nip.test=127.0.0.1 good.test=93.184.216.34
good6.test=2606:2800:220:1:248:1893:25c8:1946
""")
NAMES = {name: addresses.split(",") for name, _, addresses in (entry.partition("=") for entry in _NAMED)}

LOOPBACK = words(
    "127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.254 127.1 127.0.1 0177.0.0.1 0177.1 0177.0.0.01 00000177.0.0.1 0x7f.1 "
    "0x7f.0.0.1 0X7F.0.0.1 0x7f.0x0.0x0.0x1 0x7f000001 0x7F000001 0x000000007f000001 2130706433 017700000001 "
    "0017700000001 127.0x1 127.0.0x1 127.00.00.01 127.0.0.01 127.000.000.001 0 0.0.0.0 0x0 00 0.1 0.0.0.1"
)
PRIVATE = words(
    "10.0.0.1 10.255.255.255 012.0.0.1 0xa.0.0.1 167772161 10.1 172.16.0.1 172.31.255.254 0xac100001 2886729729 "
    "192.168.0.1 192.168.255.254 192.168.1 0xc0a80001 3232235521 0300.0250.0.1 100.64.0.1 100.127.255.254 1681915905 "
    "100.100.100.200 192.0.0.1 192.0.0.192 192.0.2.1 198.18.0.1 198.19.255.254 198.51.100.1 203.0.113.1 192.88.99.1"
)
LINK_LOCAL = words(
    "169.254.0.1 169.254.169.254 169.254.170.2 169.254.170.23 2852039166 0xa9fea9fe 0xA9.0xFE.0xA9.0xFE 025177524776 "
    "0251.0376.0251.0376 169.254.43518 169.16689662 168.63.129.16"
)
NOT_UNICAST = words("224.0.0.1 224.0.0.251 239.255.255.250 240.0.0.1 255.255.255.254 255.255.255.255 4294967295")
IPV6 = words(
    "::1 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 ::0001 :: 0::0 ::ffff:127.0.0.1 ::ffff:7f00:1 "
    "0:0:0:0:0:ffff:127.0.0.1 ::FFFF:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::ffff:0.0.0.0 "
    "::127.0.0.1 ::7f00:1 ::a9fe:a9fe ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe "
    "64:ff9b::10.0.0.1 64:ff9b:1::7f00:1 2002:7f00:1:: 2002:a9fe:a9fe:: 2002:a00:1:: "
    "2001:0:4136:e378:8000:63bf:80ff:fffe 2001:10::1 2001:20::1 2001:db8::1 3fff::1 100::1 fc00::1 fd00::1 "
    "fd00:ec2::254 fe80::1 febf::1 fec0::1 feff::1 ff00::1 ff02::1 ff05::1:3 ff0e::1 5f00::1 4000::1 "
    "fe80::1%25lo fe80::1%25eth0 fe80::1%lo ::1%lo v1.fe80"
)
# Digits, dots and letters that Unicode normalisation turns into plain ones, and other ways to hide a host.
SPELLED = words("""
１２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1 127｡0｡0｡1 ⑯⑨.254.⑯⑨.254 ⓛⓞⓒⓐⓛⓗⓞⓢⓣ ｌｏｃａｌｈｏｓｔ loc\u00adalhost
local\u200bhost 127.0.0.1。 bücher.test %31%32%37.0.0.1 127.0.0.1%00.good.test 127%2e0%2e0%2e1
%6c%6f%63%61%6c%68%6f%73%74 127.0.0.1. localhost. LOCALHOST LocalHost 127..0.0.1 .127.0.0.1
-127.0.0.1 127.0.0.1,good.test good.test,127.0.0.1 *.test
""")
HOSTS = LOOPBACK + PRIVATE + LINK_LOCAL + NOT_UNICAST + [f"[{address}]" for address in IPV6] + SPELLED
NAMED = [name for name in NAMES if not name.startswith("good")]

# Parsers that disagree about which part is the host, then other kinds of addresses.
WHOLE = words("""
http://good.test@127.0.0.1:{port}/v1 http://good.test:80@127.0.0.1:{port}/v1 http://good.test%2f@127.0.0.1:{port}/v1
http://good.test%23@127.0.0.1:{port}/v1 http://user:password@127.0.0.1:{port}/v1 http://@127.0.0.1:{port}/v1
http://:@127.0.0.1:{port}/v1 http://127.0.0.1:{port}@good.test@127.0.0.1:{port}/v1
http://good.test\\@127.0.0.1:{port}/v1 http://127.0.0.1:{port}\\@good.test/v1 http://127.0.0.1:{port}\\.good.test/v1
http:\\\\127.0.0.1:{port}\\v1 http:/\\127.0.0.1:{port}/v1 http:/127.0.0.1:{port}/v1 http:127.0.0.1:{port}/v1
http:///127.0.0.1:{port}/v1 http://127.0.0.1:{port}#@good.test/v1 http://127.0.0.1:{port}?@good.test/v1
http://127.0.0.1:{port};good.test/v1 http://127.0.0.1:{port}&good.test/v1 http://127.0.0.1:{port}\x00.good.test/v1
\x01http://127.0.0.1:{port}/v1 http://[::1]:{port}@good.test/v1 http://[::1:{port}/v1 http://::1:{port}/v1
http://[127.0.0.1]:{port}/v1 http://127.0.0.1:+{port}/v1 http://127.0.0.1:{port}:{port}/v1 http://127.0.0.1:0x50/v1
http://127.0.0.1:/v1 http://127.0.0.1:0/v1 http://127.0.0.1:99999/v1 http://good.test:22/v1 http://good.test:25/v1
http://good.test:0/v1 //127.0.0.1:{port}/v1 127.0.0.1:{port}/v1 HTTP://127.0.0.1:{port}/v1 https://127.0.0.1:{port}/v1
file:///etc/passwd file://127.0.0.1/etc/passwd gopher://127.0.0.1:{port}/_POST%20/ dict://127.0.0.1:{port}/stat
ftp://127.0.0.1:{port}/ ldap://127.0.0.1:{port}/ ws://127.0.0.1:{port}/v1 unix:///var/run/docker.sock
http+unix://%2Fvar%2Frun%2Fdocker.sock/v1 unix+http://127.0.0.1/v1 jar:http://127.0.0.1:{port}!/
data:text/plain,127.0.0.1 javascript:alert(1) url:http://127.0.0.1:{port}/v1
""") + [
    "http://127.0.0.1:{port} good.test/v1",
    "http://127.0.0.1 :{port}/v1",
    "http:// 127.0.0.1:{port}/v1",
    "http://127.0.0.1\t:{port}/v1",
    "http://127.0.0.1\r\n:{port}/v1",
    "http://127.0.0.1:{port}/v1\r\nX-Injected: 1",
    "http://good.test/v1\r\nHost: 127.0.0.1",
    "http://good.test\r\n\r\nGET http://127.0.0.1:{port}/",
    "ht\ntp://127.0.0.1:{port}/v1",
]

VECTORS = [f"http://{host}:{{port}}/v1" for host in HOSTS + NAMED] + WHOLE
ALLOWED = words("""
https://good.test/v1 https://good6.test/v1 http://good.test:8080/v1 https://93.184.216.34/v1 https://good.test./v1
https://[2606:2800:220:1:248:1893:25c8:1946]:8443/v1 https://good.test/some/path/@model/v1
""")

